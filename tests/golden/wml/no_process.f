echo "deprecated"
