"""The page on the network: a second address with TLS, devices that join by a code, and a phone as the camera."""
