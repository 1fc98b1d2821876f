"""The paper's equations as literal, slow loops: what the fast code is held against."""
