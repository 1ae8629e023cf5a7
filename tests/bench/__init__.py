"""How fast, how heavy: ratios within one run, since the machine is shared and noisy."""
