import { effect, signal } from '@preact/signals'
import type { TradeUpdate } from '@quipu/sdk'
import { priceText, quantityText } from '../format/amounts.ts'
import { api } from '../session/selection.ts'

const SETTING = 'quipu-fill-notices'

/** Whether fills are announced while the tab is hidden. */
export const areNoticesOn = signal(localStorage.getItem(SETTING) === 'on')

/** Turns notices on or off. The browser is asked for its permission only here; without it there is only the sound. */
export async function setNotices(isOn: boolean): Promise<void> {
  localStorage.setItem(SETTING, isOn ? 'on' : 'off')
  areNoticesOn.value = isOn
  if (isOn && 'Notification' in globalThis && Notification.permission === 'default')
    await Notification.requestPermission()
}

/** Follows the fills of the chosen account with a stream of its own, because a hidden tab closes the others. */
export function followFills(): void {
  effect(() => {
    const connection = api.value
    if (!areNoticesOn.value || !connection) return undefined
    const stream = connection.quipu.streams.tradeUpdates()
    stream.onMessage((update) => {
      if (document.hidden) announce(update)
    })
    stream.subscribe().catch(() => undefined)
    return () => stream.close()
  })
}

function announce({ event, order, qty, price }: TradeUpdate): void {
  if (event !== 'fill' && event !== 'partial_fill') return
  playTone()
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  const verb = order.side === 'buy' ? 'Bought' : 'Sold'
  const text = `${verb} ${quantityText(qty ?? order.filledQty)} ${order.symbol} at ${priceText(price ?? order.filledAvgPrice ?? '0')}`
  // Fills of one order replace each other.
  new Notification(text, { tag: order.id }).onclick = () => focus()
}

const TONE_HZ = 880
const TONE_SECONDS = 0.18

/** A short tone, without a file. */
function playTone(): void {
  const audio = new AudioContext()
  const [tone, volume] = [audio.createOscillator(), audio.createGain()]
  tone.frequency.value = TONE_HZ
  volume.gain.setValueAtTime(0.1, audio.currentTime)
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + TONE_SECONDS)
  tone.connect(volume).connect(audio.destination)
  tone.start()
  tone.stop(audio.currentTime + TONE_SECONDS)
  tone.onended = () => void audio.close()
}
