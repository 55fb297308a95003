module wavetank/sleeper

go 1.24
