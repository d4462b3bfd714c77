"""What files state: bullets as rows, what they claim, contradict, and how far they hold."""
