//! The clang plugin.
