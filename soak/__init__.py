"""Long runs of `ordlink collect`: load, kill -9, two servers, fuzzed requests. All on loopback."""
