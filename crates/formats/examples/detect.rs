use std::time::Instant;
fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let head = &bytes[..bytes.len().min(isotherm_formats::HEAD)];
        let mut first = 0.0;
        let mut times: Vec<f64> = (0..30).map(|n| {
            let at = Instant::now();
            let _ = std::hint::black_box(isotherm_formats::recognise(head));
            let ms = at.elapsed().as_secs_f64() * 1e3;
            if n == 0 { first = ms; }
            ms
        }).collect();
        times.sort_by(f64::total_cmp);
        println!("{path}: {} bytes, first {first:.2} ms, median {:.3} ms", head.len(), times[15]);
    }
}
