"""Matches over HTTP and WebSocket: `gdl serve`."""
