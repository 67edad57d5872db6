import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { saveScreenshot } from '../browser/chromium.ts'
import { programs, run } from '../run-command/run-process.ts'
import { newFolder } from '../support/broker.ts'
import { runFileOf, runRecord } from '../support/run-file.ts'
import { assertAccessible, layoutProblems, openStage, signedIn } from './stage.ts'

const { broker, operator } = await openStage()

/** `+1,234.50` as a number. */
const amountIn = (text: string | null): number => Number(text?.replace('−', '-').replaceAll(',', ''))

test('a row of seeds opens the distribution of their results, with the numbers of --summary', async (t) => {
  const [file, program] = [join(newFolder(), 'seeds.json'), join(programs, 'bar-bot.mjs')]
  const span = ['--from', '2026-03-02T14:30:00Z', '--to', '2026-03-02T14:45:30Z', '--hours', 'nyse']
  const env = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }
  const flags = ['--url', broker.url, '--runs', newFolder(), '--seeds', '4', '--summary', file]
  const { code, stderr } = await run([...span, ...flags], [process.execPath, program], { env })
  assert.equal(code, 0, stderr)
  const summary = JSON.parse(readFileSync(file, 'utf8'))
  const { profit_loss: profit, mean_between: between, worst, profitable, runs } = summary
  const page = await signedIn(t, '/runs')
  await page.getByRole('row').filter({ hasText: '4 seeds' }).click()
  await page.getByRole('heading', { name: /^Runs \d+–\d+$/ }).waitFor()
  assert.match((await page.locator('.crumbs').textContent()) ?? '', /^Runs\/Runs \d+–\d+$/)
  const figure = async (name: string) =>
    page
      .locator('.run-figures > div', { has: page.getByText(name, { exact: true }) })
      .locator('dd')
      .textContent()
  for (const [name, value] of [
    ['Median', profit.median],
    ['Mean', profit.mean],
    ['Worst', profit.min],
    ['Best', profit.max],
  ] as const)
    assert.equal(amountIn(await figure(name)), Number(value.toFixed(2)), name)
  const sorted = runs.map((run: { profit_loss: number }) => run.profit_loss)
  sorted.sort((a: number, b: number) => a - b)
  assert.ok(Math.abs(profit.median - (sorted[1] + sorted[2]) / 2) < 1e-9)
  const interval = (await figure('95 % interval of the mean'))?.split(' to ').map(amountIn)
  assert.deepEqual(
    interval,
    [between.low, between.high].map((one: number) => Number(one.toFixed(2))),
  )
  assert.equal(await figure('With a profit'), `${profitable} of 4`)
  await page.getByText('not shown to be different from zero: that needs at least 10 seeds').waitFor()
  const worstCard = page.getByRole('region', { name: 'Worst seed' })
  assert.equal(await worstCard.locator('code').textContent(), worst.command)
  assert.match((await worstCard.textContent()) ?? '', new RegExp(`^Worst seedSeed ${worst.seed} with `))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await worstCard.getByRole('button', { name: 'Copy the command' }).click()
  await worstCard.getByText('Copied').waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), worst.command)
  const seeds = page.getByRole('region', { name: 'Seeds', exact: true })
  for (const box of (await seeds.getByRole('checkbox').all()).slice(0, 2)) await box.check()
  await seeds.getByRole('link', { name: 'Compare the two' }).waitFor()
  // The worst seed is the first row, and opens its run.
  await seeds.getByRole('row').nth(1).click()
  await page.getByText(`seed ${worst.seed}`, { exact: true }).waitFor()
})

test('the distribution of many seeds in light, in dark and on a phone', async (t) => {
  const group = '00000000-0000-4000-8000-0000000000aa'
  const profits = Array.from({ length: 60 }, (_, index) => 900 * Math.sin(index * 2.4) * Math.cos(index) + 30)
  for (const [index, profit] of profits.entries())
    await operator.storeRun({
      body: runFileOf(
        runRecord(1000 + index, {
          group,
          seed: String(index + 1),
          profit_loss: Math.round(profit * 100) / 100,
          equity_at_start: 100_000,
          max_drawdown: Math.abs(profit) / 50_000,
          curve: [100_000, 100_000 + profit],
          ...(index === 7 && { verdict: 'failed', reason: 'exit code 3', exit_code: 3 }),
          repeat: `quipu run --from 2026-01-05 --to 2026-01-05 --seed ${index + 1} -- node bot.js`,
        }),
      ),
    })
  const page = await signedIn(t, `/runs/group-${group}`)
  await page.getByText('The result is not different from zero: the 95 % interval').waitFor()
  await page.getByText('59 of 60 passed').waitFor()
  await page.getByRole('img', { name: /^P\/L from −[\d.]+ to \+[\d.]+: median / }).waitFor()
  await saveScreenshot(page, 'run-seeds')
  assert.deepEqual(await layoutProblems(page), [])
  await assertAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await assertAccessible(page, { onlyColours: true })
  await saveScreenshot(page, 'run-seeds-dark')
  await page.setViewportSize({ width: 390, height: 844 })
  assert.deepEqual(await layoutProblems(page), [])
  await assertAccessible(page)
  await saveScreenshot(page, 'run-seeds-phone')
  const { runs } = await operator.listRuns()
  for (const { id } of runs.filter((run) => run.group === group))
    await operator.deleteRun({ params: { run: id } })
  await page.getByText('No run of these seeds is stored').waitFor()
})
