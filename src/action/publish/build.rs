//! Build tools whose goals and tasks may release: Maven, Gradle, sbt, `setup.py`.

use super::Publish;
use crate::action::Act;
use crate::action::words::{Line, Takes, dash, gnu};
use crate::shell::{Opaque, Word};

const UPLOAD: &str = "upload a package to its repository";
const RELEASE: &str = "cut a release and publish it";

const MAVEN: Takes = dash(&[
    "f",
    "file",
    "pl",
    "projects",
    "P",
    "activate-profiles",
    "s",
    "settings",
    "gs",
    "global-settings",
    "t",
    "toolchains",
    "T",
    "threads",
    "l",
    "log-file",
    "b",
    "builder",
    "rf",
    "resume-from",
    "D",
    "define",
    "color",
]);
const GRADLE: Takes = gnu(
    "pbcDgIxtP",
    &[
        "project-dir",
        "build-file",
        "settings-file",
        "gradle-user-home",
        "init-script",
        "exclude-task",
        "include-build",
        "console",
        "max-workers",
        "priority",
        "project-cache-dir",
        "warning-mode",
        "tests",
    ],
);
const SETUP: Takes = gnu("rds", &["repository", "dist-dir"]);

/// What a build tool would release.
pub(super) fn read(name: &str, words: &[Word]) -> Vec<Act> {
    let (takes, releases): (&Takes, fn(&str) -> Option<&'static str>) = match name {
        "mvn" | "mvnw" => (&MAVEN, maven),
        "gradle" | "gradlew" => (&GRADLE, gradle),
        "sbt" => (&SETUP, sbt),
        _ => (&SETUP, setup),
    };
    let line = Line::read(words, takes);
    if line.asks_help() || dry(name, &line) {
        return Vec::new();
    }
    let shown = if name == "python-setup" {
        "setup.py"
    } else {
        name
    };
    let found = line
        .operands
        .iter()
        .filter(|w| w.opaque == Opaque::No)
        .find_map(|word| {
            let does = releases(&word.text)?;
            Some(Act::Publish(Publish::new(shown, &word.text, word, does)))
        });
    found.into_iter().collect()
}

fn dry(name: &str, line: &Line<'_>) -> bool {
    match name {
        "mvn" | "mvnw" => line.options.iter().any(|o| {
            // Read as `-DdryRun=true` or `-D dryRun`.
            matches!(o.name, "DdryRun" | "Dmaven.deploy.skip") && o.value != Some("false")
                || o.name == "D" && o.value.is_some_and(|v| v == "dryRun" || v == "dryRun=true")
        }),
        "gradle" | "gradlew" => line.surely(&["dry-run", "m"]),
        "sbt" => false,
        _ => line.surely(&["dry-run", "n"]),
    }
}

/// `deploy`, `PREFIX:GOAL[@EXECUTION]`.
fn maven(goal: &str) -> Option<&'static str> {
    let goal = goal.split('@').next().unwrap_or_default();
    if matches!(goal, "deploy" | "site-deploy") {
        return Some(UPLOAD);
    }
    let mut parts = goal.rsplit(':');
    let last = parts.next()?;
    let plugin = parts.next()?;
    let named = |part: &str| {
        plugin == part
            || plugin.strip_suffix("-maven-plugin") == Some(part)
            || goal.contains(&format!("maven-{part}-plugin"))
    };
    match last {
        "deploy" | "deploy-file" => Some(UPLOAD),
        "perform" | "prepare" | "stage" if named("release") => Some(RELEASE),
        "release" | "deploy-staged" if named("nexus-staging") || plugin == "central-publishing" => {
            Some(RELEASE)
        }
        "build" if plugin == "jib" => Some("upload an image to a registry"),
        _ => None,
    }
}

/// `publish`, `:lib:publish`, `publishPluginPublicationToMavenRepository` ….
fn gradle(task: &str) -> Option<&'static str> {
    let task = task.rsplit(':').next()?;
    if task.ends_with("ToMavenLocal") {
        return None;
    }
    match task {
        "publish"
        | "publishPlugins"
        | "publishToSonatype"
        | "publishToMavenCentral"
        | "uploadArchives"
        | "publishAndReleaseToMavenCentral"
        | "publishPlugin" => Some(UPLOAD),
        "closeAndReleaseRepository"
        | "closeAndReleaseStagingRepository"
        | "closeAndReleaseStagingRepositories"
        | "jreleaserRelease"
        | "jreleaserFullRelease" => Some(RELEASE),
        "jib" => Some("upload an image to a registry"),
        _ if task.starts_with("publish") && task.ends_with("Repository") => Some(UPLOAD),
        _ => None,
    }
}

/// `publish`, `+publishSigned`, `core/publish`, `release with-defaults`.
fn sbt(command: &str) -> Option<&'static str> {
    let first = command.split(' ').next()?;
    match first.rsplit('/').next()?.trim_start_matches(['+', ';']) {
        "publish" | "publishSigned" => Some(UPLOAD),
        "release" | "sonatypeRelease" | "sonatypeBundleRelease" | "sonaRelease" | "ci-release" => {
            Some(RELEASE)
        }
        _ => None,
    }
}

fn setup(command: &str) -> Option<&'static str> {
    matches!(command, "upload" | "upload_docs").then_some(UPLOAD)
}
