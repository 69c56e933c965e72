// What the user of an interop client answers. The question itself says what it
// wishes: `accept` (or any other text), `decline`, `dismiss`, `malformed` or
// `silent`.
export const roots = [{ uri: 'file:///srv/project', name: 'project' }];

// The SDKs check their own answers, so what a broken client would send has to
// be made behind them: `bendAnswer` makes it of an answer with this model.
const malformedModel = 'answered without a model';

const silence = () => new Promise(() => {});

// `declined(code, message)` makes the SDK's own error.
export function answerSampling(params, declined) {
  const content = params.messages[0].content;
  const wish = [content].flat()[0].text;
  if (wish === 'silent') return silence();
  if (wish === 'decline') throw declined(-1, 'User rejected sampling request');
  return {
    model: wish === 'malformed' ? malformedModel : 'interop-model',
    role: 'assistant',
    content: { type: 'text', text: `heard: ${wish}` },
    stopReason: 'endTurn',
  };
}

export function answerForm(params) {
  const wish = params.message;
  if (wish === 'silent') return silence();
  if (wish === 'decline') return { action: 'decline' };
  if (wish === 'dismiss') return { action: 'cancel' };
  const filled = { name: 'Ann', age: wish === 'malformed' ? 'old' : 7 };
  const asked = params.requestedSchema?.properties ?? {};
  return {
    action: 'accept',
    content: Object.fromEntries(Object.entries(filled).filter(([name]) => name in asked)),
  };
}

export function bendAnswer(message) {
  if (message.result?.model !== malformedModel) return message;
  const { model, ...rest } = message.result;
  return { ...message, result: rest };
}
