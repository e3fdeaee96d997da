exec ./receiver
