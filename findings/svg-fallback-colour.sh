#!/usr/bin/env bash
# CSS: of two declarations a renderer uses the last that it understands. resvg drops the colour that it does understand, and paints black.
cd "$FINDING" && npm install --silent --no-audit --no-fund @resvg/resvg-js@2.6.2 >/dev/null || exit 1
cat >draw.mjs <<'JS'
import { Resvg } from '@resvg/resvg-js';
const draw = (style) => [...new Resvg(`<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><path style="${style}" d="M0 0h1v1H0z"/></svg>`)
  .render().pixels].join();
console.log(draw('fill:#1F3A5F'), draw('fill:#1F3A5F;fill:color(display-p3 .1 .2 .4)'), draw('fill:#1F3A5F;fill:oklch(35% .07 260)'));
JS
output=$(node draw.mjs) || exit 1
[[ $output == "31,58,95,255 0,0,0,255 0,0,0,255" ]] || { echo "$output"; exit 1; }
echo "resvg (resvg-js 2.6.2) paints black where 'fill:#1F3A5F' is followed by a colour it does not know, such as color(display-p3 …)"
