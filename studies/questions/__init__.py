"""The fewest questions: active methods against the number of questions per object."""
