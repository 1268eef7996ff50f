// A server whose heap V8 sizes by the container: keeps some 100 MiB of objects, makes 40,000 new ones
// a request, and those of the last six requests stay.
'use strict';
const http = require('http');

const KEPT = 1_000_000;
const PER_REQUEST = 40_000;
const REQUESTS_THAT_STAY = 6;

const objects = (count, from) => Array.from({length: count}, (_, i) => ({id: from + i, name: `object ${i}`, at: [i, i + 1]}));
const kept = objects(KEPT, 0);
const recent = [];

http.createServer((request, response) => {
  request.resume().on('end', () => {
    recent.push(objects(PER_REQUEST, recent.length));
    if (recent.length > REQUESTS_THAT_STAY) recent.shift();
    const sum = recent.reduce((total, some) => total + some[some.length - 1].id, kept[7].id);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({sum}));
  });
}).listen(8080);
