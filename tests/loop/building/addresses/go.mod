module addresses

go 1.24
