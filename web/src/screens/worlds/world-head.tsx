import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { quantityText } from '../../format/amounts.ts'
import { Icon } from '../../parts/icon.tsx'
import { ask } from '../../parts/question.tsx'
import { actingOperator, operator } from '../../session/connections.ts'
import type { World } from '../../session/selection.ts'
import { session } from '../../session/session.ts'
import { forkHere } from '../../shell/clock-actions.ts'
import { chooseWorld } from '../../shell/switches.tsx'

/** The settings of the world on screen, and what can be done with it. */
export function WorldHead({ world }: { readonly world: World }): JSX.Element {
  const [problem, setProblem] = useState<Error>()
  const act = async (action: () => Promise<unknown>) => {
    setProblem(undefined)
    await action().catch(setProblem)
  }
  const isVirtual = world.clock === 'virtual'
  return (
    <>
      <div class="page-head world-head">
        <h1>{world.world}</h1>
        <div class="settings">
          {settingsOf(world).map(({ text, isShort }) => (
            <span key={text} class={`chip outlined ${isShort ? '' : 'wide-only'}`}>
              {text}
            </span>
          ))}
        </div>
        <div class="head-actions">
          <button
            data-changes
            type="button"
            class="button sim"
            title="Fork from here (f)"
            onClick={() => void forkHere()}
          >
            <Icon name="fork" /> Fork from here
          </button>
          <button
            type="button"
            class="button"
            aria-label="Save as a file"
            title="Save as a file"
            onClick={() => void act(() => save(world.world))}
          >
            <Icon name="download" /> <span class="wide-only">Save</span>
          </button>
          {isVirtual && (
            <>
              <button data-changes type="button" class="button" onClick={() => void act(() => reset(world))}>
                Reset
              </button>
              <button
                data-changes
                type="button"
                class="button wrong"
                aria-label="Delete this world"
                title="Delete this world"
                onClick={() => void act(() => remove(world))}
              >
                <Icon name="trash" />
              </button>
            </>
          )}
        </div>
      </div>
      {problem && (
        <div class="banner wrong" role="alert">
          <Icon name="warning" />
          {problem.message}
          <button type="button" class="button small right" onClick={() => setProblem(undefined)}>
            Close
          </button>
        </div>
      )}
    </>
  )
}

/** The seed of main is long and random. */
const SEED_MAX = 16

type Setting = { readonly text: string; readonly isShort?: boolean }

/** The settings as short texts. A phone shows the short list. */
function settingsOf(world: World): readonly Setting[] {
  const { seed, hours, fill_size, latency_ms, fees, accounts, market, symbols, margin, venue, durable } =
    world
  return [
    { text: `seed ${seed.length > SEED_MAX ? `${seed.slice(0, 8)}…` : seed}`, isShort: true },
    { text: hours === 'nyse' ? 'hours NYSE' : 'always open', isShort: true },
    ...(fill_size === 'displayed' ? [{ text: 'fills limited to displayed size', isShort: true }] : []),
    ...(latency_ms === '0' ? [] : [{ text: `latency ${quantityText(latency_ms)} ms` }]),
    { text: fees === 'us' ? 'fees US' : fees === 'none' ? 'no fees' : 'custom fees' },
    { text: `${accounts.length} ${accounts.length === 1 ? 'account' : 'accounts'}` },
    ...(market === 'replay' ? [{ text: 'replays imported data' }] : []),
    ...(symbols === undefined ? [] : [{ text: `${symbols.length} symbols` }]),
    ...(margin === undefined ? [] : [{ text: 'margin interest or calls' }]),
    ...(venue === undefined ? [] : [{ text: 'market with delays' }]),
    ...(durable ? [{ text: 'durable' }] : []),
  ]
}

/** Downloads the world as a file. */
async function save(world: string): Promise<void> {
  const bytes = (await operator().client.saveWorld({ params: { world } })) as Uint8Array<ArrayBuffer>
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${world}.quipu`
  link.click()
  URL.revokeObjectURL(url)
}

async function reset({ world, seq }: World): Promise<void> {
  const isSure = await ask({
    title: `Reset ${world}?`,
    effect: `Its ${seq} events, orders and positions are deleted, and its clock returns to the start. Settings, accounts and keys stay.`,
    keep: 'Keep it',
    confirm: `Reset ${world}`,
  })
  if (isSure) await actingOperator().client.resetWorld({ params: { world } })
}

async function remove({ world, seq, accounts }: World): Promise<void> {
  const isSure = await ask({
    title: `Delete ${world}?`,
    effect: `Its ${seq} events, ${accounts.length === 1 ? 'its account' : `its ${accounts.length} accounts`} and their keys are deleted. Programs that use them fail. Save the world first if you need it.`,
    keep: 'Keep it',
    confirm: `Delete ${world}`,
  })
  if (!isSure) return
  await actingOperator().client.deleteWorld({ params: { world } })
  chooseWorld(session.peek()?.world ?? 'main')
}
