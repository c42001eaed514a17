//! The code inside the program under test.
