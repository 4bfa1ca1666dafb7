// picture.mjs: pixels by place, and where the camera of a scene file puts a point of the world.

export const WIDTH = 480, HEIGHT = 270;

const sub = (a, b) => a.map((x, i) => x - b[i]);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const unit = (a) => a.map((x) => x / Math.sqrt(dot(a, a)));
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0]];

// Picture coordinates, x to the right and y down from the top left corner, and pixels per metre
// there.
export function project(view, point) {
    const forward = unit(sub(view.to, view.from));
    const right = unit(cross(forward, [0, 1, 0]));
    const up = cross(right, forward);
    const ray = sub(point, view.from);
    const scale = HEIGHT / 2 / Math.tan(Math.PI * view.fov / 360) / dot(ray, forward);
    return {
        x: WIDTH / 2 + scale * dot(ray, right),
        y: HEIGHT / 2 - scale * dot(ray, up),
        scale,
    };
}

export function parseColor(text) {
    return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
}

export function distance(a, b) {
    return Math.hypot(...sub(a, b));
}

export class Picture {
    constructor({ pixels, png }) {
        this.pixels = Buffer.from(pixels, 'base64'); // RGBA, rows from the bottom
        this.png = Buffer.from(png, 'base64');
    }

    // The colour of the pixel at picture coordinates.
    at({ x, y }) {
        const column = Math.floor(x), row = HEIGHT - 1 - Math.floor(y);
        if (column < 0 || column >= WIDTH || row < 0 || row >= HEIGHT) {
            return [NaN, NaN, NaN];
        }
        const i = 4 * (row * WIDTH + column);
        return [this.pixels[i], this.pixels[i + 1], this.pixels[i + 2]];
    }

    // How many pixels satisfy a test of their colour, and the middle of them.
    count(test) {
        let count = 0, sumX = 0, sumY = 0;
        for (let y = 0; y < HEIGHT; y++) {
            for (let x = 0; x < WIDTH; x++) {
                if (test(this.at({ x, y }), x, y)) {
                    count++;
                    sumX += x + 0.5;
                    sumY += y + 0.5;
                }
            }
        }
        return { count, x: sumX / count, y: sumY / count };
    }
}
