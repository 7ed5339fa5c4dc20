module petnames

go 1.22
