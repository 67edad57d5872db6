import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { buildWheel } from '../../packaging/wheel.ts'
import { pythonWith } from '../programs/debian.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { env, type Installed, root, run, version, wheelTest } from './installed-wheel.ts'
import { isLongRun } from './packed.ts'

/** Runs a program in the environment and returns what it prints. */
async function python({ bin }: Installed, code: string): Promise<string> {
  const { stdout, stderr, code: exit } = await run(join(bin, 'python'), ['-c', code])
  assert.equal(exit, 0, stderr)
  assert.equal(stderr, '')
  return stdout
}

wheelTest('two builds of the same files are equal byte for byte, for any system', ({ bundle, wheel }) => {
  const copy = join(newFolder(), 'bundle')
  cpSync(bundle, copy, { recursive: true })
  const again = buildWheel(copy, newFolder())
  assert(readFileSync(wheel).equals(readFileSync(again.file)))
  assert.equal(again.bytes, readFileSync(wheel).length)
  assert.equal(basename(wheel), `quipu_broker-${version}-py3-none-any.whl`)
})

wheelTest('the commands quipu and quipu-broker and python -m quipu are the program', async ({ bin }) => {
  for (const line of [['quipu'], ['quipu-broker'], ['python', '-m', 'quipu']]) {
    const [file, ...words] = line
    const { stdout, stderr, code } = await run(join(bin, file!), [...words, '--version'])
    assert.deepEqual([stdout, stderr, code], [`${version}\n`, '', 0])
  }
  const refused = await run(join(bin, 'quipu'), ['scenario', 'run', 'flash-crsh'])
  assert.match(refused.stderr, /flash-crash/)
  assert.notEqual(refused.code, 0)
})

wheelTest('the server of the command stops by SIGTERM: no process stays between', async ({ bin }) => {
  const server = spawn(join(bin, 'quipu'), ['start', '--json', '--port', '0', '--data', 'memory'], {
    env: env(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
  assert.equal((await fetch(`${JSON.parse(line).url}/readyz`)).status, 200)
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null])
  await assert.rejects(fetch(`${JSON.parse(line).url}/readyz`))
})

wheelTest('the program of the README buys two shares', async (wheel) => {
  const readme = readFileSync(join(root, 'python', 'README.md'), 'utf8')
  assert.match(await python(wheel, /```python\n(.*?)```/s.exec(readme)![1]!), /^2 9\d\d\d\.\d+\n$/)
})

wheelTest('the first program of the guide meets a lost response', async (wheel) => {
  const guide = readFileSync(join(root, 'docs', 'guides', 'testing.md'), 'utf8')
  const [, program = ''] = /```python\n(import quipu\n.*?)```/s.exec(guide)!
  assert.match(await python(wheel, program), /^no response\n2 9\d\d\d\.\d+\n$/)
})

wheelTest('a world moves its clock, fails on demand, is saved, loaded and reset', async (wheel) => {
  const printed = await python(
    wheel,
    `
import datetime, json, urllib.error
import quipu
start = datetime.datetime(2026, 1, 5, 15, tzinfo=datetime.timezone.utc)
order = {"symbol": "AAPL", "qty": 1, "side": "buy", "type": "market", "time_in_force": "day", "client_order_id": "one"}
with quipu.Broker(["--hours", "nyse"]) as broker:
    print(broker.version, broker.request("GET", "/v2/account")["status"])
    with broker.world(seed="kit", clock=start, cash=5000, symbols=["AAPL"]) as world:
        print(world.now()[:19])
        fault = world.fault({"kind": "status", "status": 503}, {"operation": ["placeOrder"]}, name="down")
        try:
            world.request("POST", "/v2/orders", order)
        except quipu.QuipuError as error:
            print(error.status, error.code)
        print([(one["name"], one["consumed"]) for one in world.faults()])
        world.delete_faults()
        print(world.faults())
        world.fault("answer_lost", {"operation": ["placeOrder"]})
        try:
            world.request("POST", "/v2/orders", order)
        except (urllib.error.URLError, ConnectionError, OSError) as error:
            print("lost")
        print(world.advance("1m")["reached"], world.advance(until="next_close")["now"])
        world.assert_one_order("one")
        world.assert_net_position("AAPL", 1)
        assert len(world.unacknowledged_fills()) == 1
        with broker.load(world.save()) as copy:
            copy.assert_net_position("AAPL", 1)
            assert copy.cash() == world.cash() and copy.key_id != world.key_id
        world.run(60)
        world.freeze()
        world.reset()
        world.assert_cash("5000.00")
        print([now[:19] for now in world.each("1d", steps=2)], sorted(world.env))
    world.close()
    crash = broker.world(scenario="flash-crash")
    print(crash.seed, len(crash.events(3)))
try:
    broker.url
except quipu.StartError as error:
    print(error)`,
  )
  assert.deepEqual(printed.trimEnd().split('\n'), [
    `${version} ACTIVE`,
    '2026-01-05T15:00:00',
    '503 50310013',
    "[('down', 1)]",
    '[]',
    'lost',
    'True 2026-01-05T21:00:00Z',
    "['2026-01-05T15:00:00', '2026-01-06T15:00:00'] ['APCA_API_BASE_URL', 'APCA_API_KEY_ID', 'APCA_API_SECRET_KEY']",
    'flash-crash 3',
    'the broker is not running: use `with quipu.Broker() as broker:`, or call start()',
  ])
})

wheelTest(
  'a broker ends with the Python process that started it, also if that is killed',
  async ({ bin }) => {
    const code =
      'import quipu, time\nbroker = quipu.Broker().start()\nprint(broker.url, flush=True)\ntime.sleep(600)'
    const child = spawn(join(bin, 'python'), ['-c', code], {
      env: env(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    assert.equal((await fetch(`${url}/readyz`)).status, 200)
    child.kill('SIGKILL')
    await waitUntil('the broker has ended', () =>
      fetch(`${url}/readyz`).then(
        () => false,
        () => true,
      ),
    )
  },
)

/** A program that prints a version, as Node does. */
function fakeNode(version: string): string {
  const folder = newFolder()
  writeFileSync(join(folder, 'node'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
  return folder
}

const old = fakeNode('v20.20.2')
const other = fakeNode('0.4')
const remedy = 'install it from https://nodejs.org, or set QUIPU_NODE to its path'
for (const [name, extra, line] of [
  ['without Node', { PATH: '' }, `quipu needs Node 22.13 or newer, and finds none on the PATH: ${remedy}`],
  [
    'with an old Node and another program',
    { PATH: `${old}:${other}` },
    `quipu needs Node 22.13 or newer, and finds only ${old}/node (v20.20.2), ${other}/node (no Node): ${remedy}`,
  ],
  [
    'with QUIPU_NODE of an old Node',
    { QUIPU_NODE: join(old, 'node') },
    `QUIPU_NODE: quipu needs Node 22.13 or newer, and ${old}/node is v20.20.2: ${remedy}`,
  ],
  ['with QUIPU_NODE of no file', { QUIPU_NODE: '/none' }, `QUIPU_NODE: /none is not a Node: ${remedy}`],
] as const)
  wheelTest(`${name}, one line says how to get it`, async ({ bin }) => {
    const { QUIPU_NODE, ...plain } = env()
    const { stdout, stderr, code } = await run(join(bin, 'quipu'), ['--version'], {
      env: { ...plain, ...extra },
    })
    assert.deepEqual([stdout, stderr, code], ['', `${line}\n`, 1])
  })

wheelTest('the first Node of the PATH that is new enough runs the program', async ({ bin }) => {
  const { QUIPU_NODE, ...plain } = env({ PATH: `${old}:${join(process.execPath, '..')}` })
  const { stdout, stderr } = await run(join(bin, 'quipu'), ['--version'], { env: plain })
  assert.deepEqual([stdout, stderr], [`${version}\n`, ''])
})

wheelTest('pytest finds the plugin of the installed package', async ({ bin }) => {
  const folder = newFolder()
  cpSync(join(root, 'examples', 'pytest', 'test_dip_buyer.py'), join(folder, 'test_dip_buyer.py'))
  // That test steps through a day; the others use the same parts of the plugin.
  const some = isLongRun ? [] : ['-k', 'not buys_one_dip']
  const flags = ['-m', 'pytest', '-p', 'no:cacheprovider', '-q', ...some]
  const { stdout, code } = await run(join(bin, 'python'), flags, { cwd: folder })
  assert.match(stdout, isLongRun ? /^4 passed/m : /^3 passed/m)
  assert.equal(code, 0, stdout)
})

wheelTest(
  'python -m build makes the same wheel by way of a source distribution, without the network',
  ({ bundle, wheel }) => {
    const builder = pythonWith(['build'])
    const [sources, out] = [join(newFolder(), 'python'), newFolder()]
    cpSync(join(root, 'python'), sources, { recursive: true })
    const line = ['-m', 'build', '--outdir', out, `-Cbundle=${bundle}`, sources]
    execFileSync(builder, line, { env: plainEnvironment({ PIP_NO_INDEX: '1' }), stdio: 'pipe' })
    assert.deepEqual(readdirSync(out).sort(), [`quipu_broker-${version}.tar.gz`, basename(wheel)].sort())
    assert(readFileSync(join(out, basename(wheel))).equals(readFileSync(wheel)))
  },
  { skip: !isLongRun },
)

wheelTest(
  'the hashes of the files are right, and the types pass mypy --strict',
  ({ wheel, bin }) => {
    const unpacked = newFolder()
    // It compares each file with its hash.
    execFileSync(pythonWith(['wheel']), ['-m', 'wheel', 'unpack', '--dest', unpacked, wheel], {
      stdio: 'pipe',
    })
    const program = join(newFolder(), 'program.py')
    const readme = readFileSync(join(root, 'python', 'README.md'), 'utf8')
    writeFileSync(program, /```python\n(.*?)```/s.exec(readme)![1]!)
    const cache = newFolder()
    mkdirSync(cache, { recursive: true })
    const flags = ['--strict', '--cache-dir', cache, '--python-executable', join(bin, 'python')]
    const check = (...line: string[]) =>
      execFileSync(pythonWith(['mypy']), ['-m', 'mypy', ...flags, ...line], {
        encoding: 'utf8',
        stdio: 'pipe',
      })
    check('-m', 'quipu', '-m', 'quipu.pytest_plugin', '-m', 'quipu.__main__')
    check(program)
    writeFileSync(program, 'import quipu\nquipu.Broker().world().fault("answer_loss")\n')
    assert.throws(() => check(program), { stdout: /incompatible type "Literal\['answer_loss'\]"/ })
  },
  { skip: !isLongRun },
)
