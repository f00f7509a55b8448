"""The meaning of rules: plain, stratified, semi-naive evaluation, the definition for all else."""
