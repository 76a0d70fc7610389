//! git's option rules, once: clusters, values, negation, unique prefixes, last one wins.
