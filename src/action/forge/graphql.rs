//! GraphQL documents, as far as needed to name the mutations that they run.

use super::{Deed, merge, refs, release};
use crate::action::is_mark;

/// A piece of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    Name(&'t str),
    Punctuator(char),
    Spread,
    /// A stretch that only the run knows.
    Unknown,
}

/// The mutations of GitHub's, GitLab's and Gitea's schemas that the laws speak of.
const MUTATIONS: &[(&str, Deed<'static>)] = &[
    ("mergePullRequest", merge("merge a pull request")),
    (
        "enablePullRequestAutoMerge",
        merge("let a pull request merge itself"),
    ),
    (
        "enqueuePullRequest",
        merge("queue a pull request for merging"),
    ),
    ("mergeBranch", merge("merge a branch on the forge")),
    ("mergeRequestAccept", merge("merge a merge request")),
    (
        "updatePullRequestBranch",
        refs("move the head of a pull request on the forge"),
    ),
    (
        "createCommitOnBranch",
        refs("commit to a branch on the forge"),
    ),
    ("commitCreate", refs("commit to a branch on the forge")),
    ("createRef", refs("make a ref on the forge")),
    ("createLinkedBranch", refs("make a branch on the forge")),
    ("createBranch", refs("make a branch on the forge")),
    ("updateRef", refs("move a ref on the forge")),
    ("updateRefs", refs("move refs on the forge")),
    ("deleteRef", refs("delete a ref on the forge")),
    ("tagCreate", refs("make a tag on the forge")),
    ("tagDelete", refs("delete a tag on the forge")),
    ("branchDelete", refs("delete a branch on the forge")),
    (
        "revertPullRequest",
        refs("make a branch that reverts a pull request").maybe(),
    ),
    (
        "archiveRepository",
        refs("close a repository to all writing"),
    ),
    (
        "unarchiveRepository",
        refs("change a repository for everybody"),
    ),
    (
        "updateRepository",
        refs("change a repository for everybody").maybe(),
    ),
    (
        "createBranchProtectionRule",
        refs("change who may write a branch"),
    ),
    (
        "updateBranchProtectionRule",
        refs("change who may write a branch"),
    ),
    (
        "deleteBranchProtectionRule",
        refs("change who may write a branch"),
    ),
    ("branchRuleUpdate", refs("change who may write a branch")),
    ("branchRuleDelete", refs("change who may write a branch")),
    (
        "createRepositoryRuleset",
        refs("change who may write a branch"),
    ),
    (
        "updateRepositoryRuleset",
        refs("change who may write a branch"),
    ),
    (
        "deleteRepositoryRuleset",
        refs("change who may write a branch"),
    ),
    (
        "projectSettingsUpdate",
        refs("change a repository for everybody").maybe(),
    ),
    ("releaseCreate", release("publish a release")),
    ("releaseUpdate", release("change a published release")),
    (
        "releaseDelete",
        release("take a release away from its users"),
    ),
    ("createDeployment", release("start a deployment")),
    (
        "deletePackageVersion",
        release("take a version away from its users"),
    ),
];

/// What a document would do: its guarded mutations by name, and whether a field is unknown.
pub(super) fn read(document: &str) -> (Vec<(&'static str, Deed<'static>)>, bool) {
    let mut found = Vec::new();
    let mut unknown = false;
    // How deep in `{}` and in `()`; the kind of the definition in which we are.
    let (mut braces, mut parens) = (0usize, 0usize);
    let mut writes = false;
    let mut last = None;
    for token in tokens(document) {
        match token {
            Token::Punctuator('(') => parens += 1,
            Token::Punctuator(')') => parens = parens.saturating_sub(1),
            _ if parens > 0 => {}
            Token::Punctuator('{') => braces += 1,
            Token::Punctuator('}') => {
                braces = braces.saturating_sub(1);
                writes &= braces > 0;
            }
            // `fragment F on Mutation`; other fragments name none of these fields.
            Token::Name("mutation" | "fragment") if braces == 0 => writes = true,
            Token::Name("query" | "subscription") if braces == 0 => writes = false,
            Token::Name(name) if braces > 0 && writes && last != Some(Token::Punctuator('@')) => {
                found.extend(MUTATIONS.iter().find(|(known, _)| *known == name).copied());
            }
            // A field, the kind of operation or a whole document that only the run knows.
            Token::Unknown => unknown |= braces == 0 || writes,
            _ => {}
        }
        last = Some(token);
    }
    (found, unknown)
}

/// Cuts a document; strings, block strings and comments are skipped.
fn tokens(document: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = document;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        if c == '#' {
            length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        } else if rest.starts_with("\"\"\"") {
            length = rest
                .get(3..)
                .and_then(|r| r.find("\"\"\""))
                .map_or(rest.len(), |i| i + 6);
        } else if c == '"' {
            length = string(rest);
        } else if c.is_ascii_alphabetic() || c == '_' {
            length = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            found.push(rest.get(..length).map_or(Token::Unknown, Token::Name));
        } else if rest.starts_with("...") {
            length = 3;
            found.push(Token::Spread);
        } else if is_mark(c) || c == '…' {
            found.push(Token::Unknown);
        } else if !c.is_whitespace() && c != ',' {
            found.push(Token::Punctuator(c));
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

/// The length of a string with its quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return i + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(document: &str) -> Vec<&'static str> {
        read(document).0.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn mutations_are_found_by_their_field() {
        assert_eq!(
            names("mutation{mergePullRequest(input:{pullRequestId:\"x\"}){clientMutationId}}"),
            ["mergePullRequest"]
        );
        assert_eq!(
            names(
                "mutation M($id: ID!) { done: mergePullRequest(input: {pullRequestId: $id}) { x } }"
            ),
            ["mergePullRequest"]
        );
        assert_eq!(
            names(
                "mutation { addStar(input:{starrableId:\"1\"}){x} deleteRef(input:{refId:\"1\"}){x} }"
            ),
            ["deleteRef"]
        );
        assert_eq!(
            names("mutation { ...F } fragment F on Mutation { updateRefs(input: $i) { x } }"),
            ["updateRefs"]
        );
        assert_eq!(
            names("# c\nmutation @live {\n  createCommitOnBranch(input: {}) { x }\n}"),
            ["createCommitOnBranch"]
        );
        assert_eq!(
            names("query Q { a } mutation M { deleteRef(input: {}) { x } }"),
            ["deleteRef"]
        );
    }

    #[test]
    fn names_in_strings_comments_arguments_and_queries_are_not_mutations() {
        for document in [
            "query { repository(name: \"mergePullRequest\") { mergePullRequest } }",
            "{ viewer { login } }",
            "mutation { addComment(input: {body: \"mergePullRequest\", x: mergePullRequest}) { x } }",
            "mutation { addComment(input: {body: \"a \\\" mergePullRequest\"}) { x } }",
            "mutation { addComment(input: {body: \"\"\" } mergePullRequest \"\"\"}) { x } }",
            "mutation { # mergePullRequest\n addComment(input: {}) { x } }",
            "query mergePullRequest { viewer { login } }",
            "mutation mergePullRequest { addStar(input: {}) { x } }",
            "",
            "\"",
            "mutation {",
            "}}}}((((",
        ] {
            assert_eq!(names(document), Vec::<&str>::new(), "{document}");
        }
    }

    #[test]
    fn unknown_fields_are_told_and_unknown_arguments_are_not() {
        assert!(read("\u{1}").1);
        assert!(read("mutation { \u{1}(input: {}) { x } }").1);
        assert!(!read("mutation { addComment(input: {body: \"\u{1}\"}) { x } }").1);
        assert!(!read("query { repository(owner: \u{1}) { \u{1} } }").1);
    }
}
