"""What a model is said to need, as it stands with the model. A note; profiles do not read it."""

from __future__ import annotations

from typing import Optional


class ResourceConfiguration:
    """Cores, GiB and devices; None where nothing is said."""

    def __init__(
        self,
        cpu: Optional[float] = None,
        memory_in_gb: Optional[float] = None,
        gpu: Optional[int] = None,
    ) -> None:
        self.cpu = cpu
        self.memory_in_gb = memory_in_gb
        self.gpu = gpu
