"""Running services whose workers are killed, whose file is replaced, whose pages are besieged."""
