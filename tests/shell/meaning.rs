//! Directories, variables, forks, answers and nested texts, as sentences.
