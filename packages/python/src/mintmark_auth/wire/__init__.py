"""Requests to the service, bounded in time and size, and what they need: threads, clocks, addresses."""
