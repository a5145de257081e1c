#!/usr/bin/env bash
# CommonMark, 2.4 and 5.2: `11\.` is text, `11.` at the beginning of a line opens a list. Two editors read the first and write the second:
# "11. Hukuk Dairesi" (11th Civil Chamber) is item 11 of a list when the text is opened again.
cd "$FINDING" && npm install --silent --no-audit --no-fund @tiptap/core@3.35.0 @tiptap/pm@3.35.0 @tiptap/starter-kit@3.35.0 @tiptap/markdown@3.35.0 jsdom@26.1.0 lexical@0.52.0 \
  @lexical/headless@0.52.0 @lexical/markdown@0.52.0 @lexical/rich-text@0.52.0 @lexical/list@0.52.0 @lexical/link@0.52.0 @lexical/code@0.52.0 >/dev/null || exit 1
cat >write.mjs <<'JS'
import { JSDOM } from 'jsdom';
import { createHeadlessEditor } from '@lexical/headless';
import { $convertFromMarkdownString, $convertToMarkdownString, TRANSFORMERS } from '@lexical/markdown';
import { HeadingNode, QuoteNode } from '@lexical/rich-text';
import { ListItemNode, ListNode } from '@lexical/list';
import { LinkNode } from '@lexical/link';
import { CodeNode } from '@lexical/code';
const text = '11\\. Hukuk Dairesi decided.';
const lexical = createHeadlessEditor({ nodes: [HeadingNode, QuoteNode, ListNode, ListItemNode, LinkNode, CodeNode] });
lexical.update(() => $convertFromMarkdownString(text, TRANSFORMERS), { discrete: true });
const { window } = new JSDOM('');
globalThis.window = window;
for (const name of ['document', 'navigator', 'Node', 'Element', 'HTMLElement', 'DOMParser', 'MutationObserver']) {
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true });
}
const { Editor } = await import('@tiptap/core');
const { default: StarterKit } = await import('@tiptap/starter-kit');
const { Markdown } = await import('@tiptap/markdown');
const tiptap = new Editor({ element: document.createElement('div'), extensions: [StarterKit, Markdown], content: text, contentType: 'markdown' });
const written = tiptap.getMarkdown();
tiptap.commands.setContent(written, { contentType: 'markdown' });
console.log(lexical.read(() => $convertToMarkdownString(TRANSFORMERS)), written, tiptap.getJSON().content[0].type);
process.exit(0);
JS
output=$(node write.mjs) || exit 1
[[ $output == '11. Hukuk Dairesi decided. 11. Hukuk Dairesi decided. orderedList' ]] || { echo "$output"; exit 1; }
echo "Lexical 0.52.0 and @tiptap/markdown 3.35.0 read the text '11\\. Hukuk Dairesi' and write '11. Hukuk Dairesi', which is a list"
