import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { pythonWith } from '../programs/debian.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { pathWithQuipu } from '../support/quipu-process.ts'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'guides', 'ci.md'), 'utf8')
const run = promisify(execFile)

const environment = (extra: Readonly<Record<string, string>> = {}) =>
  plainEnvironment({ PATH: pathWithQuipu, ...extra })

/** The block of the page in this language. */
function block(language: string): string {
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    ([, text]) => text!,
  )
  assert.equal(blocks.length, 1)
  return blocks[0]!
}

test('the broker starts as a child process of Python', async () => {
  const { stdout } = await run(pythonWith(['json']), ['-c', block('python')], { env: environment() })
  assert.match(stdout, /^the broker listens on http:\/\/127\.0\.0\.1:\d+\nexit code 0\n$/)
})

test('the broker starts as a child process of Bash', async () => {
  const { stdout } = await run('bash', ['-c', block('bash')], { env: environment() })
  assert.match(stdout, /^the broker printed \d{3,} characters of JSON\nexit code 0\n$/)
})

test('each job of the GitHub Actions file runs on three systems, with a shell that all have', () => {
  const workflow = parse(readFileSync(join(root, 'examples', 'github-actions.yml'), 'utf8'))
  assert.equal(workflow.defaults.run.shell, 'bash')
  assert.equal(Object.keys(workflow.jobs).length, 3)
  for (const job of Object.values<Job>(workflow.jobs)) {
    assert.match(job['runs-on'], /^\$\{\{ matrix\.os \}\}$/)
    assert.deepEqual(job.strategy.matrix.os, ['ubuntu-latest', 'windows-latest', 'macos-latest'])
  }
})

type Job = { readonly 'runs-on': string; readonly strategy: { readonly matrix: { readonly os: string[] } } }

test('the steps of the GitHub Actions file start a broker, export its keys and stop it', async () => {
  const workflow = readFileSync(join(root, 'examples', 'github-actions.yml'), 'utf8')
  const steps = [...workflow.matchAll(/run: (quipu .*)$/gm)].map(([, command]) => command!)
  assert.deepEqual(
    steps.map((step) => step.split(' ')[1]),
    ['start', 'env', 'events', 'stop'],
  )
  const folder = newFolder()
  const variables = join(folder, 'variables')
  const env = environment({ BROKER_DATA: join(folder, 'data'), GITHUB_ENV: variables })
  // The free port is not in the file, because a job has the machine for itself.
  steps[0] += ' --port 0'
  const test = `set -a; . ${variables}; curl -sf -u "$QUIPU_BROKER_KEY:$QUIPU_BROKER_SECRET" "$APCA_API_BASE_URL/sim/v1/worlds/main/journal"`
  const { stdout } = await run('bash', ['-ec', steps.toSpliced(2, 0, test).join('\n')], { env })
  assert.match(stdout, /"world":"main","durable":true/)
  assert.doesNotMatch(stdout, /"?secret/i)
  assert.match(readFileSync(variables, 'utf8'), /^APCA_API_KEY_ID=\S+$/m)
  assert(!existsSync(join(folder, 'data', 'server.json')), 'the broker is stopped')
})
