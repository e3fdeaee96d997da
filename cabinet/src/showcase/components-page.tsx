import { ActionSamples } from './action-samples.tsx'
import { FeedbackSamples } from './feedback-samples.tsx'
import { FieldSamples } from './field-samples.tsx'
import { GridSample } from './grid-sample.tsx'
import { OverlaySamples } from './overlay-samples.tsx'
import './showcase.css'

/** Every component in its states, for developers of pages. Its words are in English alone. */
export function ComponentsPage() {
  return (
    <main className="showcase">
      <title>Components</title>
      <h1>Components</h1>
      <ActionSamples />
      <FieldSamples />
      <OverlaySamples />
      <GridSample />
      <FeedbackSamples />
    </main>
  )
}
