"""How Hypothesis runs, for all tests: a slow or busy machine is no failure."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("ludex", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ludex")
