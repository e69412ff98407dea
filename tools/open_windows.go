package tools

// openNoWait is nothing here: no file of Windows is a pipe.
const openNoWait = 0
