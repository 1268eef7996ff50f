"""A TensorFlow model, whose tensors its own allocator keeps in arenas: five layers of convolution over
an image of 160 x 160 that grows from the row, behind http.server."""

import http.server
import json

import tensorflow as tf

SIDE = 160
CHANNELS = 48
LAYERS = 5

kernels = [tf.random.stateless_normal((3, 3, 3 if layer == 0 else CHANNELS, CHANNELS), seed=(1, layer))
           for layer in range(LAYERS)]


@tf.function(input_signature=[tf.TensorSpec((), tf.float32)])
def score(number):
    image = tf.sin(number + tf.reshape(tf.range(SIDE * SIDE * 3, dtype=tf.float32), (1, SIDE, SIDE, 3)))
    for kernel in kernels:
        image = tf.nn.relu(tf.nn.conv2d(image, kernel, 1, "SAME")) / 10
    return tf.reduce_mean(image)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # a response in one write: two wait for the client's delayed acknowledgement

    def do_GET(self):
        self.answer({})

    def do_POST(self):
        row = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer({"score": float(score(float(row.get("row", 0))))})

    def answer(self, found):
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


score(tf.constant(0.0))
http.server.ThreadingHTTPServer(("", 8080), Handler).serve_forever()
