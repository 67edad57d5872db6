import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from './contender-process.ts'

/** The limit: a bare node:http server that parses a JSON body and returns it. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
    response.end(text)
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  serveParent({ port, headers: {} }, async () => void server.close())
})
