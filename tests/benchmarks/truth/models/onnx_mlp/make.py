"""Writes a perceptron of three layers as an ONNX graph: make.py WIDTH FOLDER ROWS."""

import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from write_rows import write_rows  # noqa: E402

FEATURES = 64
LAYERS = 3

width, folder, rows = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
random = numpy.random.default_rng(5)
nodes, weights = [], []
value, size = "input", FEATURES
for layer in range(LAYERS):
    weight = random.normal(0, size ** -0.5, (size, width)).astype(numpy.float32)
    weights.append(numpy_helper.from_array(weight, f"weight{layer}"))
    nodes.append(helper.make_node("MatMul", [value, f"weight{layer}"], [f"product{layer}"]))
    value, size = f"layer{layer}", width
    nodes.append(helper.make_node("Relu", [f"product{layer}"], [value]))
graph = helper.make_graph(
    nodes, "perceptron", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["n", FEATURES])],
    [helper.make_tensor_value_info(value, TensorProto.FLOAT, ["n", width])], weights)
onnx.save(helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)]),
          folder / "perceptron.onnx")
write_rows(rows, FEATURES, most=60)
