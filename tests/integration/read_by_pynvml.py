"""Prints, as print-devices does, what NVIDIA's own Python reader reads."""

import json

import pynvml


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def put(device, key, read, scale=1):
    try:
        value = read()
    except pynvml.NVMLError:
        return
    device[key] = value * scale if scale != 1 else value


def read(handle):
    device = {"uuid": text(pynvml.nvmlDeviceGetUUID(handle)),
              "name": text(pynvml.nvmlDeviceGetName(handle)),
              "pci": text(pynvml.nvmlDeviceGetPciInfo(handle).busId)}
    try:
        memory = pynvml.nvmlDeviceGetMemoryInfo(handle, version=pynvml.nvmlMemory_v2)
        device["memoryReserved"] = memory.reserved
    except pynvml.NVMLError:
        memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
    device["memoryTotal"], device["memoryUsed"] = memory.total, memory.used
    put(device, "busy", lambda: pynvml.nvmlDeviceGetUtilizationRates(handle).gpu, 0.01)
    put(device, "memoryBusy", lambda: pynvml.nvmlDeviceGetUtilizationRates(handle).memory, 0.01)
    put(device, "watts", lambda: pynvml.nvmlDeviceGetPowerUsage(handle), 0.001)
    put(device, "joules", lambda: pynvml.nvmlDeviceGetTotalEnergyConsumption(handle), 0.001)
    put(device, "smMhz", lambda: pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM))
    put(device, "memoryMhz", lambda: pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_MEM))
    put(device, "celsius",
        lambda: pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU))
    put(device, "processes",
        lambda: {str(p.pid): p.usedGpuMemory
                 for p in pynvml.nvmlDeviceGetComputeRunningProcesses(handle)})
    return device


def handles():
    for index in range(pynvml.nvmlDeviceGetCount()):
        card = pynvml.nvmlDeviceGetHandleByIndex(index)
        try:
            split = pynvml.nvmlDeviceGetMigMode(card)[0] == 1
        except pynvml.NVMLError:
            split = False
        if not split:
            yield card
            continue
        for part in range(pynvml.nvmlDeviceGetMaxMigDeviceCount(card)):
            try:
                yield pynvml.nvmlDeviceGetMigDeviceHandleByIndex(card, part)
            except pynvml.NVMLError:
                continue


pynvml.nvmlInit()
print(json.dumps([read(handle) for handle in handles()]))
