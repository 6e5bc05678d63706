package org.verbs4j.jmh;

import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** The report's pictures, as PNG. */
final class Charts {
    private static final int WIDTH = 1180;
    private static final int HEIGHT = 540;

    private Charts() {}

    private static Color color(Contender contender) {
        return switch (contender) {
            case C -> new Color(0x44, 0x44, 0x44);
            case API -> new Color(0x1b, 0x6c, 0xa8);
            case API_PLAIN -> new Color(0x7f, 0xb2, 0xd6);
            case BINDINGS -> new Color(0x2e, 0x8b, 0x57);
            case BINDINGS_PLAIN -> new Color(0x9a, 0xcd, 0x9a);
            case JNI -> new Color(0xd9, 0x8e, 0x04);
            case GENERATED -> new Color(0xb0, 0x3a, 0x2e);
            case SOCKETS -> new Color(0x7d, 0x3c, 0x98);
        };
    }

    /** Ratios to C as bars, half of the spread over the JVMs as error bars, the gates as marks. */
    static byte[] ratios(
            String title,
            List<? extends Measured> operations,
            List<Contender> contenders,
            List<Row> rows,
            List<Gates.Gate> gates) {
        CategoryChart chart = bars(title, "time / time of the C twin (1 = as fast as C)");
        List<String> names = operations.stream().map(Measured::title).toList();
        for (Contender contender : contenders) {
            List<Optional<Row>> cells = cells(operations, contender, rows);
            CategorySeries series =
                    chart.addSeries(
                            contender.title(),
                            names,
                            values(cells, row -> row.toC().median()),
                            values(cells, row -> (row.toC().greatest() - row.toC().least()) / 2));
            series.setFillColor(color(contender));
        }
        limits(
                chart,
                "limit",
                names,
                operations,
                gates,
                gate -> gate.contender() != Contender.BINDINGS_PLAIN);
        limits(
                chart,
                "limit, plain post",
                names,
                operations,
                gates,
                gate -> gate.contender() == Contender.BINDINGS_PLAIN);
        return png(chart);
    }

    private static void limits(
            CategoryChart chart,
            String name,
            List<String> names,
            List<? extends Measured> operations,
            List<Gates.Gate> gates,
            Predicate<Gates.Gate> which) {
        List<Double> values =
                operations.stream()
                        .map(
                                operation ->
                                        gates.stream()
                                                .filter(gate -> gate.operation() == operation)
                                                .filter(gate -> gate.baseline() == Contender.C)
                                                .filter(which)
                                                .map(Gates.Gate::limit)
                                                .findFirst()
                                                .orElse(Double.NaN))
                        .toList();
        if (values.stream().allMatch(value -> value.isNaN())) {
            return;
        }
        CategorySeries series = chart.addSeries(name, names, values);
        series.setChartCategorySeriesRenderStyle(CategorySeries.CategorySeriesRenderStyle.Scatter);
        series.setMarker(
                name.equals("limit") ? SeriesMarkers.DIAMOND : SeriesMarkers.TRIANGLE_DOWN);
        series.setMarkerColor(Color.RED.darker());
    }

    private static List<Optional<Row>> cells(
            List<? extends Measured> operations, Contender who, List<Row> rows) {
        return operations.stream()
                .map(
                        operation ->
                                rows.stream()
                                        .filter(
                                                row ->
                                                        row.operation() == operation
                                                                && row.contender() == who)
                                        .findFirst())
                .toList();
    }

    private static List<Double> values(List<Optional<Row>> cells, ToDoubleFunction<Row> value) {
        return cells.stream().map(cell -> cell.map(value::applyAsDouble).orElse(0.0)).toList();
    }

    /** Any figure of some contenders as bars over operations. */
    static byte[] bars(
            String title,
            String unit,
            List<? extends Measured> operations,
            List<Contender> contenders,
            List<Row> rows,
            ToDoubleFunction<Row> value) {
        CategoryChart chart = bars(title, unit);
        List<String> names = operations.stream().map(Measured::title).toList();
        boolean allZero = true;
        for (Contender contender : contenders) {
            List<Double> figures = values(cells(operations, contender, rows), value);
            allZero &= figures.stream().allMatch(figure -> figure == 0);
            chart.addSeries(contender.title(), names, figures).setFillColor(color(contender));
        }
        if (allZero) { // else the axis would have no scale
            chart.getStyler().setYAxisMax(1.0);
        }
        return png(chart);
    }

    /** Named values as bars. */
    static byte[] bars(String title, String unit, Map<String, Double> values) {
        CategoryChart chart = bars(title, unit);
        chart.getStyler().setLegendVisible(false);
        chart.addSeries("value", List.copyOf(values.keySet()), List.copyOf(values.values()))
                .setFillColor(color(Contender.API));
        return png(chart);
    }

    /** Time of one request over the number of requests in a call. */
    static byte[] batches(List<Row> rows) {
        XYChart chart =
                lines(
                        "The price of a call, shared by a batch",
                        "requests in one call",
                        "ns per request");
        chart.getStyler().setXAxisLogarithmic(false);
        List<Operation> operations =
                List.of(Operation.PAIR, Operation.BATCH_4, Operation.BATCH_16, Operation.BATCH_32);
        List<Integer> sizes = operations.stream().map(Operation::batch).toList();
        for (Contender who :
                List.of(Contender.C, Contender.API, Contender.BINDINGS, Contender.JNI)) {
            line(
                    chart,
                    who.title(),
                    sizes,
                    values(cells(operations, who, rows), Row::nanos),
                    color(who));
        }
        return png(chart);
    }

    /** Latency at some percentiles, from the median on; each further nine takes the same room. */
    static byte[] percentiles(String title, List<Curve> curves) {
        CategoryChart chart = bars(title, "µs per operation");
        chart.getStyler()
                .setDefaultSeriesRenderStyle(CategorySeries.CategorySeriesRenderStyle.Line);
        chart.getStyler().setXAxisLabelRotation(0);
        chart.getStyler().setOverlapped(true); // each point on its percentile, not beside it
        for (Curve curve : curves) {
            List<String> names = curve.percentiles().stream().map(p -> Curve.name(p)).toList();
            List<Double> micros = curve.nanos().stream().map(ns -> ns / 1000.0).toList();
            Color color = color(Contender.valueOf(curve.contender()));
            CategorySeries series = chart.addSeries(curve.title(), names, micros);
            series.setLineColor(color);
            series.setMarkerColor(color);
            series.setMarker(SeriesMarkers.CIRCLE);
            series.setLineStyle(new BasicStroke(2.2f));
        }
        return png(chart);
    }

    private static void line(
            XYChart chart,
            String name,
            List<? extends Number> x,
            List<? extends Number> y,
            Color color) {
        XYSeries series = chart.addSeries(name, x, y);
        series.setLineColor(color);
        series.setMarkerColor(color);
        series.setMarker(SeriesMarkers.CIRCLE);
        series.setLineStyle(new BasicStroke(2.2f));
    }

    private static CategoryChart bars(String title, String unit) {
        CategoryChart chart =
                new CategoryChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .yAxisTitle(unit)
                        .build();
        style(chart.getStyler());
        chart.getStyler().setXAxisLabelRotation(25);
        chart.getStyler().setAvailableSpaceFill(0.8);
        chart.getStyler().setYAxisMin(0.0);
        return chart;
    }

    private static XYChart lines(String title, String x, String y) {
        XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .xAxisTitle(x)
                        .yAxisTitle(y)
                        .build();
        style(chart.getStyler());
        return chart;
    }

    private static void style(AxesChartStyler styler) {
        Font text = new Font(Font.SANS_SERIF, Font.PLAIN, 13);
        styler.setChartTitleFont(text.deriveFont(Font.BOLD, 16));
        styler.setAxisTitleFont(text.deriveFont(Font.BOLD));
        styler.setAxisTickLabelsFont(text);
        styler.setLegendFont(text);
        styler.setLegendPosition(Styler.LegendPosition.OutsideE);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotGridLinesColor(new Color(0xdd, 0xdd, 0xdd));
        styler.setPlotGridVerticalLinesVisible(false);
        styler.setErrorBarsColor(Color.BLACK);
    }

    private static byte[] png(Chart<?, ?> chart) {
        try {
            return BitmapEncoder.getBitmapBytes(chart, BitmapEncoder.BitmapFormat.PNG);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
