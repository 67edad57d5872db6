import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Members } from './members.ts'

/** The runner's side, and processes that report to it by hand. */
async function runner(t: TestContext) {
  const inexact: string[] = []
  const members = new Members({
    changed: () => undefined,
    receivedAhead: () => undefined,
    isAhead: () => false,
    inexact: (reason) => inexact.push(reason),
    hasConnected: () => false,
  })
  const steps = createServer((socket) => members.add(socket)).listen(0)
  const sockets = new Map<string, Socket>()
  const gate = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => {
      const id = String(bytes).trim()
      sockets.set(id, socket)
      members.connected(id, socket)
    })
  }).listen(0)
  const opened: Socket[] = []
  const open = async (server: Server): Promise<Socket> => {
    const address = server.address() as { readonly port: number }
    const socket = connect(address.port)
    socket.on('error', () => undefined)
    opened.push(socket)
    await once(socket, 'connect')
    return socket
  }
  t.after(() => {
    for (const socket of opened) socket.destroy()
    members.send('close')
    steps.close()
    gate.close()
  })
  const join = async (pid: number) => {
    const socket = await open(steps)
    const said: string[] = []
    socket.setEncoding('utf8').on('data', (text: string) => said.push(...text.trim().split('\n')))
    const send = (message: object) => socket.write(`${JSON.stringify(message)}\n`)
    send({ pid })
    const report = (parts: object = {}) => {
      const counts = { fired: 0, batches: 0, ahead: 0, isWhole: true, turns: 0, confirmed: 0, next: null }
      send({ children: [], connections: [], ...counts, ...parts })
    }
    return { socket, said, send, report }
  }
  const connected = async (id: string): Promise<Socket> => {
    const socket = await open(gate)
    socket.write(`${id}\n`)
    return socket
  }
  return { members, inexact, join, connected, sockets }
}

const settle = () => new Promise((done) => setTimeout(done, 20))

test('a report stays open as long as its connection has more bytes, also after the connection has closed', async (t) => {
  const { members, join, connected } = await runner(t)
  const program = await join(1)
  const connection = await connected('1-1')
  program.report({ connections: [['1-1', 0, 4]] })
  await settle()
  assert.equal(members.areDone, true)
  // The program sends a request, receives the response, closes the connection, and computes.
  connection.end('request')
  await settle()
  connection.destroy()
  await settle()
  assert.equal(members.areDone, false)
  program.report()
  await settle()
  assert.equal(members.areDone, true)
})

test('several processes are idle when all have said so twice without work in between', async (t) => {
  const { members, join } = await runner(t)
  const [parent, child] = [await join(1), await join(2)]
  parent.report({ children: [2] })
  child.report({ turns: 1 })
  await settle()
  assert.equal(members.areDone, false)
  await settle()
  assert.deepEqual([parent.said, child.said], [['confirm 1'], ['confirm 1']])
  child.report({ turns: 1, confirmed: 1 })
  // The child has woken the parent through a pipe.
  parent.report({ children: [2], turns: 2, confirmed: 1 })
  await settle()
  assert.equal(members.areDone, false)
  await settle()
  assert.equal(child.said.at(-1), 'confirm 2')
  child.report({ turns: 1, confirmed: 2 })
  parent.report({ children: [2], turns: 2, confirmed: 2 })
  await settle()
  assert.equal(members.areDone, true)
})

test('a process is not idle until it has seen the end of another that it has started', async (t) => {
  const { members, join } = await runner(t)
  const [parent, child] = [await join(1), await join(2)]
  parent.report({ children: [2] })
  child.socket.destroy()
  await settle()
  parent.report({ children: [2] })
  await settle()
  assert.equal(members.areDone, false)
  parent.report({ turns: 1 })
  await settle()
  assert.equal(members.areDone, true)
})

test('what does not follow the clock is named, and is no report', async (t) => {
  const { members, inexact, join } = await runner(t)
  const program = await join(1)
  program.send({ inexact: 'a loop' })
  await settle()
  assert.deepEqual([inexact, members.areDone], [['a loop'], false])
})

test('a connection that broke while the program waited on it is seen by the program first', async (t) => {
  const { members, join, connected, sockets } = await runner(t)
  const program = await join(1)
  await connected('1-1')
  await settle()
  const socket = sockets.get('1-1')!
  program.report({ connections: [['1-1', socket.bytesWritten, socket.bytesRead]] })
  await settle()
  assert.equal(members.areDone, true)
  members.broke(socket)
  socket.destroy()
  await settle()
  assert.equal(members.areDone, false)
  program.report()
  await settle()
  assert.equal(members.areDone, true)
})

test('a Node process that has not connected yet may still load modules, so it is not idle', async (t) => {
  const { members, join, connected, sockets } = await runner(t)
  members.hasStarted = true
  const program = await join(1)
  program.report({ isWhole: false })
  await settle()
  assert.equal(members.areDone, false)
  await connected('1-1')
  await settle()
  const socket = sockets.get('1-1')!
  program.report({ isWhole: false, connections: [['1-1', socket.bytesWritten, socket.bytesRead]] })
  await settle()
  assert.equal(members.areDone, true)
})
