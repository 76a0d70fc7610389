//! git command lines, one verb family a file.
