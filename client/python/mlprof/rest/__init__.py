"""mlprof's REST interface: where the server is, requests to it, its errors."""
