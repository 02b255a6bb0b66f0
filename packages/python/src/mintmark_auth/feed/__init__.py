"""Follows the revocation feed and holds its facts in memory: what has ended, up to where, and how stale that is.

Threads of the follower write; threads that verify read, and take no lock. So what is read is replaced and never changed,
or changed in one step, and a version is raised only after all that it stands for can be read.
"""
