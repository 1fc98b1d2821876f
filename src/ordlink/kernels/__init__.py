"""Numba kernels: arrays in, arrays out, no validation.

Import the modules one by one, inside the functions that need them: importing Numba takes a while,
and `import ordlink` stays light.
"""
