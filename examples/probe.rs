use leaseguard::shell::*;
struct N; impl Files for N { fn script(&self,_:&std::path::Path,_:bool)->Source{Source::None} }
impl Wrappers for N { fn unfold(&self,_:&Command)->Vec<Inner>{Vec::new()} }
fn main(){
    let a: Vec<String> = std::env::args().collect();
    let text = match a[1].as_str() {
        "one" => "git push origin feat/x".to_string(),
        "sixty" => "git add src/a.rs && git commit -m \"fix: a thing\" && git push".to_string(),
        "mb" => "git push origin feat/x && echo \"done $x\"; X=1 make -j4 all > out.log 2>&1\n".repeat(13500),
        "mix" => std::fs::read_to_string(&a[2]).unwrap().repeat(40),
        "prose" => format!("git commit -F - <<'EOF'\n{}\nEOF\n", "it's some text, with words and `ticks` in it\n".repeat(22000)),
        "and" => "a && ".repeat(100_000),
        "sub" => "$(".repeat(10_000),
        "dqsub" => "\"$(".repeat(10_000),
        "par" => "(".repeat(100_000),
        "dpar" => "((".repeat(50_000),
        "adpar" => "$((".repeat(50_000),
        "here" => "cat <<E\nx $(a)\nE\n".repeat(2000),
        "here1" => format!("{}\n{}", "cat <<E; ".repeat(2000), "x\nE\n".repeat(2000)),
        "hereu" => "cat <<E\n".repeat(2000),
        "brace" => "{a,".repeat(20_000),
        "brace2" => "{a,b}".repeat(2_000),
        "par2" => "${x:-".repeat(10_000),
        "or" => "a || ".repeat(100_000),
        "orand" => "a || b && ".repeat(50_000),
        "vars" => (0..30000).map(|i| format!("x{i}=1 || y=2\n")).collect(),
        "exits" => "a && exit; ".repeat(50_000),
        "funcs" => "f() { f; f; f; }; f; f\n".repeat(2000),
        "loops" => "for a in 1 2 3 4 5 6 7 8 9; do ".repeat(30) + "git push $a" + &"; done".repeat(30),
        "double" => format!("x=aaaa;{}", "x=$x$x;".repeat(10000)),
        "tick" => "`".repeat(100_001),
        "pipes" => "a | ".repeat(100_000),
        "ifs" => "if a; then ".repeat(20_000),
        "elif" => format!("if a; then b; {} fi", "elif c; then d; ".repeat(20_000)),
        "case" => "case x in a) ".repeat(10_000),
        "test" => "[[ ( ".repeat(20_000),
        "evals" => "eval 'eval \"eval git push\"'; ".repeat(3000),
        "arr" => format!("a=({}); for x in \"${{a[@]}}\"; do echo $x; done", "x ".repeat(100_000)),
        _ => a[1].clone(),
    };
    let start = Start{cwd:Some("/repo".into()),home:Some("/home/u".into())};
    let reps: usize = a.get(3).and_then(|r|r.parse().ok()).unwrap_or(1);
    for _ in 0..reps {
    let t=std::time::Instant::now();
    let s=extract(&text,&start,&N,&N);
    let e=t.elapsed();
    let n=s.steps.len(); let cut=s.problems.iter().any(|p|p.cut);
    drop(s);
    println!("{:8} {:8} bytes {:6} steps {:?} (+drop {:?}) cut={cut}", a[1].chars().take(8).collect::<String>(), text.len(), n, e, t.elapsed());
    if n == 999_999_999 { println!("{n}"); }
    }
}
