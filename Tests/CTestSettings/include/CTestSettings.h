// Empty: the target consists of a function that runs before main.
