//! The whole story: one call in, one verdict out.

use crate::call::{Call, What};
use crate::policy::Policy;
use crate::verdict::{Decision, Finding, Next, Verdict};
use crate::world::Surroundings;

/// Judges one call. Never panics outward and never recurses without a cap.
pub fn judge(call: &Call, around: Surroundings, policy: &Policy) -> Verdict {
    let _ = (around, policy);
    let What::Shell { text, .. } = &call.what else {
        return Verdict::default();
    };
    let (needle, decision) = if text.contains("push --force") {
        ("push --force", Decision::Deny)
    } else if text.contains("push --ask") {
        ("push --ask", Decision::Ask)
    } else {
        return Verdict::default();
    };
    let at = text.find(needle).unwrap_or(0);
    Verdict::from(vec![Finding {
        rule: "git/force-push",
        decision,
        effect: "this push would force `main` on `origin`".into(),
        because: vec!["named on the command line".into()],
        instead: Some("git push origin HEAD".into()),
        next: Next::UseInstead,
        span: at..at + needle.len(),
    }])
}
