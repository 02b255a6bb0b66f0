"""The rules that the guards of all frameworks share: what they require, how they read a request, and how they respond."""
