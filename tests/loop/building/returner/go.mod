module returner

go 1.24
