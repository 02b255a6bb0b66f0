"""The public interface of the verifier, and the decision on one token."""
