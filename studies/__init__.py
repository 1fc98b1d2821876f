"""The studies of this project: the paper's experiments, quality, calibration."""
