def merge(folder, chamber, read, day): return False
