import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from './contender-process.ts'

/** The limit: a bare node:http server that sends the bytes of a file from memory. */
const page = readFileSync(process.argv[2]!)
const server = createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': page.length })
  response.end(page)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  serveParent({ port, headers: {} }, async () => void server.close())
})
