// The Agents Playground listens on every interface, and no option of it changes that. Loaded first, this keeps it on loopback.
const { Server } = require('node:net');

const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(port, ...rest) {
  const isPortAlone = Number.isInteger(Number(port)) && typeof rest[0] !== 'string';
  return listen.call(this, port, ...(isPortAlone ? ['127.0.0.1'] : []), ...rest);
};
